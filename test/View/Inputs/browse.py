# Opens pages of a folder in headless Chromium, clicks, and prints what it saw. usage: browse.py FOLDER
import sys
import time

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

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

    def press(self, element):
        """A real click in the middle of what may be a line."""
        ActionChains(self.driver).move_to_element(element).click().perform()

    def press_node(self, level, label):
        self.press(next(node for node in self.find(f"[data-level={level}] .node") if node.get_attribute("data-label") == label))

    def press_edge(self, source, target):
        """Clicks the first line between two nodes of the tensor graph, and says what the page says of it."""
        edge = f"[data-level=tensor] .edge[data-from='{source}'][data-to='{target}']"
        self.press(self.find(edge)[0])
        return self.wait(lambda: "→" in self.driver.find_element(By.ID, "why").text and self.driver.find_element(By.ID, "why").text)

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
    named = [one.text for one in page.find(".loop > b") if one.text.startswith("for i")]
    page.say(f"axes are strips of {len(page.find('#axes rect'))} points; a loop runs along one: {named[-1]}")
    page.find("[data-kernel]")[0].click()
    page.say(page.driver.find_element(By.ID, "time").text.replace("\n", " "))
    assert page.find("#spread circle"), "the runs are points"
    next(one for one in page.find("#time .word") if one.text == "median").click()
    page.say("median means: " + page.wait(lambda: page.find("#words .asked dd"))[0].text)
    page.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    page.wait(lambda: not page.find("#words"))
    heads = [table.find_elements(By.CSS_SELECTOR, "tbody tr") for table in page.find("section table")]
    rows = [row.text for table in heads for row in table]
    found = [next(row for row in rows if row.startswith(begin)) for begin in ("chosen", "no schedule", "register tile")]
    page.say(f"candidates: chosen, {found[1]}; {found[2]}")
    page.tab("Levels")
    page.press_node("tensor", "conv")
    page.driver.execute_script("document.querySelector('[data-level=assembly]').scrollIntoView()")
    time.sleep(0.3)
    lit = page.wait(lambda: page.find("[data-level=assembly] .row.lit"))
    page.press(lit[len(lit) // 2])
    page.wait(lambda: page.find("[data-level=assembly] .row.chosen") and "lit" in page.find("[data-level=tensor] .node[data-label=conv]")[0].get_attribute("class"))
    page.say("instructions are lit, and a click on one lights the convolution")
    page.driver.execute_script("document.querySelector('[data-level=tensor]').scrollIntoView()")
    text = page.press_edge("relu", "max_pool")
    page.say(text.replace("\n", " ").replace("relu (/relu/Relu) → max_pool (/pool/MaxPool):", "/relu/Relu to /pool/MaxPool:"))
    text = page.press_edge("conv", "batch_norm")
    page.say(text.replace("\n", " ").replace("conv (/conv1/Conv) → batch_norm (/norm1/BatchNormalization):", "/conv1/Conv to /norm1/BatchNormalization:"))
    page.press_node("tensor", "arg0")
    text = page.wait(lambda: next((one.text for one in page.find("#why p") if one.text.startswith("Argument")), None))
    readers = [node.get_attribute("data-label") for node in page.find("[data-level=tensor] .node.lit")]
    page.say(f"{text.splitlines()[0].split(' · ')[0]} is read by {' '.join(readers)}, and lit at " + " ".join(column.get_attribute("data-level") for column in page.find(".column") if column.find_elements(By.CSS_SELECTOR, ".lit")))
    page.press_node("tensor", "reshape")
    page.say(page.wait(lambda: next((one.text for one in page.find("#why p") if one.text.startswith("Nothing of its own")), None)))
    query = page.driver.find_element(By.ID, "query")
    query.send_keys("lazy.view")
    page.wait(lambda: [entry for entry in page.find("#found li") if entry.text.startswith("lazy")])[0].click()
    page.wait(lambda: page.find("#why .views svg"))
    page.say("a view is a picture: " + page.find("#why figcaption")[0].text)
    query.clear()
    query.send_keys("gemm")
    page.wait(lambda: len(page.find("#found li")) > 1)
    [entry for entry in page.find("#found li") if entry.text.startswith("tensor")][0].click()
    page.wait(lambda: page.find("[data-level=tensor] .node.chosen"))
    page.say("the search finds gemm and goes there")
    page.tab("Passes")
    page.find("[data-pass=tensor-decompose]")[0].click()
    assert page.find("pre .del") and page.find("pre .add")
    page.say("tensor-decompose shows removed and added lines")
    choice = Select(page.driver.find_element(By.ID, "function"))
    choice.select_by_visible_text("gemm")
    page.say("passes that change gemm: " + " ".join(item.get_attribute("data-pass") for item in page.find("[data-pass]") if "quiet" not in item.get_attribute("class")))
    assert [part.text.split()[0] for part in page.find("section details summary")] == ["gemm"]
    page.tab("Cost")
    page.say(" ".join(name for name in ("roofline", "timeline", "memory") if page.find(f"#{name} *")))
    rows = [text.text for text in page.find("#timeline text")]
    page.say("timeline of " + ", ".join(row for row in ("queue", "thread 0") if row in rows))
    assert len(page.find("#timeline rect")) > 12, "launches and their parts"
    page.say("the arena holds " + next(text.text for text in page.find("#memory text") if text.text == "max_pool"))

with Browser("compared.html") as page:
    page.tab("Compare")
    text = page.driver.find_element(By.ID, "main").text
    page.say("kernels that are " + " and ".join(word for word in ("new", "gone") if f"{word}: fused otherwise" in text))
    page.say(next(line for line in text.splitlines() if "before in conv_batch_norm_relu" in line))

with Browser("attention.html") as page:
    graph = page.find("[data-level=tensor] svg")[0]
    page.driver.execute_script("arguments[0].focus()", graph)

    def press(*keys):
        ActionChains(page.driver).send_keys(*keys).perform()
        return [node.get_attribute("data-label") for node in page.find("[data-level=tensor] .node.chosen")]

    chosen = press(Keys.ENTER)
    below = press(Keys.ARROW_DOWN)
    assert len(chosen) == len(below) == 1 and chosen != below, (chosen, below)
    assert press(Keys.ARROW_UP) != below
    ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN).key_up(Keys.SHIFT).perform()
    assert "→" in page.driver.find_element(By.ID, "why").text
    press("3")
    row = page.wait(lambda: page.find("[data-kernel]"))
    press("4")
    row = page.wait(lambda: page.find("tr.link"))[0]
    page.driver.execute_script("arguments[0].focus()", row)
    press(Keys.ENTER)
    page.wait(lambda: page.find("[data-kernel]"))
    page.say("keys choose a node, walk from it, ask why, change tabs, and go from a row to its kernel")

with Browser("attention.html", size="420,900", dark=True) as page:
    page.tab("Kernels")
    kernels = len(page.find("[data-kernel]"))
    page.say(f"opens in dark, {kernels} kernels")

with Browser("blamed.html") as page:
    page.say("opens on " + page.driver.find_element(By.ID, "wrong").text.replace("\n", " "))
    page.say(page.find("li.bad span")[0].text)
    page.say(page.find(".remark.Failed b")[0].text)
    assert page.find("pre .del") and page.find("pre .add")
    assert page.find("li.bad")[0].is_displayed()

with Browser("branches.html") as page:
    next(one for one in page.find("[data-level=kernel] button") if one.text == "Graph").click()
    page.wait(lambda: page.find("[data-level=kernel] .node.group"))
    before = [node.get_attribute("data-label") for node in page.find("[data-level=kernel] .node")]
    next(one for one in page.find("[data-level=kernel] button") if one.text == "Groups").click()
    after = [node.get_attribute("data-label") for node in page.find("[data-level=kernel] .node")]
    page.say(f"closed {' '.join(before)}; open {' '.join(after)}")
    page.tab("Kernels")
    page.find("[data-kernel=less]")[0].click()
    page.say(page.driver.find_element(By.ID, "nesting").text)

with Browser("source.html") as page:
    page.press_node("tensor", "conv")
    page.say("a convolution is lit at " + " ".join(page.wait(lambda: [column.get_attribute("data-level") for column in page.find(".column")
        if column.find_elements(By.CSS_SELECTOR, ".lit") and column.get_attribute("data-level") in ("emitc", "model.c")])))

with Browser("constructor.html") as page:
    text = ""
    for name in ("Kernels", "Cost"):
        page.tab(name)
        text += page.driver.find_element(By.ID, "main").text
    page.say("NaN" if "NaN" in text else "no number is none")

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
