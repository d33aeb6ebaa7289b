# Opens pages of a folder in headless Chromium, clicks, and prints what it saw. usage: browse.py FOLDER
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

folder = sys.argv[1]
errors = []


class Browser:
    """One page in a browser of its own."""

    def __init__(self, page, size="1500,950", dark=False):
        self.page = page
        options = webdriver.ChromeOptions()
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={size}"]:
            options.add_argument(argument)
        if dark:
            options.add_argument("--force-dark-mode")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.get(f"file://{folder}/{page}")
        self.wait(lambda: self.driver.execute_script("return window.view !== undefined"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        errors.extend(f"{self.page}: {entry['message']}" for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE")
        if self.driver.execute_script("return window.broken"):
            errors.append(f"{self.page}: a name ran as a script")
        self.driver.save_screenshot(f"{folder}/{self.page}.png")
        self.driver.quit()

    def wait(self, condition, seconds=60):
        end = time.time() + seconds
        while time.time() < end:
            if found := condition():
                return found
            time.sleep(0.05)
        raise SystemExit(f"{self.page}: nothing after {seconds} s")

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def tab(self, name):
        self.driver.find_element(By.ID, f"tab-{name}").click()

    def say(self, text):
        print(f"{self.page}: {text}", flush=True)


with Browser("digits.html") as page:
    next(node for node in page.find("[data-level=tensor] .node") if node.get_attribute("data-label") == "conv").click()
    lit = page.wait(lambda: [column.get_attribute("data-level") for column in page.find(".column")
                             if column.find_elements(By.CSS_SELECTOR, ".lit") and column.get_attribute("data-level") != "tensor"])
    page.say("a convolution is lit at " + " ".join(lit))
    page.find(".kernel-link")[0].click()
    page.say("its kernel shows " + ", ".join(page.wait(lambda: [head.text for head in page.find("section h3")])))
    assert page.find(".loop .loop"), "loops are drawn in loops"
    query = page.driver.find_element(By.ID, "query")
    query.send_keys("gemm")
    page.wait(lambda: len(page.find("#found li")) > 1)
    [entry for entry in page.find("#found li") if entry.text.startswith("tensor")][0].click()
    page.wait(lambda: page.find("[data-level=tensor] .node.chosen"))
    page.say("the search finds gemm and goes there")
    page.tab("Passes")
    page.find("[data-pass=tensor-decompose]")[0].click()
    assert page.find("pre .del") and page.find("pre .add")
    page.say("tensor-decompose shows removed and added lines")
    page.tab("Cost")
    page.say(" ".join(name for name in ("roofline", "timeline", "memory") if page.find(f"#{name} *")))

with Browser("compared.html") as page:
    page.tab("Compare")
    text = page.driver.find_element(By.ID, "main").text
    page.say("kernels that are " + " and ".join(word for word in ("new", "gone") if f"{word}: fused otherwise" in text))

with Browser("attention.html", size="420,900", dark=True) as page:
    page.tab("Kernels")
    kernels = len(page.find("[data-kernel]"))
    page.say(f"opens in dark, {kernels} kernels")

with Browser("blamed.html") as page:
    page.tab("Passes")
    page.say(page.find("li.bad span")[0].text)

with Browser("hostile.html") as page:
    page.driver.find_element(By.TAG_NAME, "body").send_keys("/")
    page.driver.find_element(By.ID, "query").send_keys("<script>")
    page.wait(lambda: page.find("#found li"))
    page.driver.find_element(By.ID, "query").send_keys(Keys.ENTER)
    page.wait(lambda: "<script>window.broken = 1</script>" in page.driver.find_element(By.ID, "status").text)
    for name in ("Passes", "Kernels", "Cost"):
        page.tab(name)
    page.say("shows <script>window.broken = 1</script> as text")

with Browser("long.html") as page:
    page.say(f"opens {len(page.wait(lambda: page.find('[data-level=tensor] .node')))} nodes at a time")

print("\n".join(errors) if errors else "no errors")
