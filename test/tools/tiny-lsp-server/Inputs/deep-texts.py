"""Prints a session for tiny-lsp-server -lit-test that opens texts of 100,000 brackets within each other."""
import json

DEEP = 100000
TEXTS = {
    "open": "func.func @main() attributes {a = " + "[" * DEEP,
    "array": "func.func private @main() attributes {a = " + "[" * DEEP + "]" * DEEP + "}",
    "type": "func.func private @main(" + "tuple<" * DEEP + "i32" + ">" * DEEP + ")",
    "map": "#map = affine_map<(d0) -> (" + "(" * DEEP + "d0" + ")" * DEEP + ")>",
}


def say(method, parameters, **more):
    print(json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters, **more}))
    print("// -----")


say("initialize", {"processId": 123, "rootPath": "mlir", "capabilities": {}, "trace": "off"}, id=0)
for name, text in TEXTS.items():
    document = {"uri": f"test:///{name}.mlir"}
    say("textDocument/didOpen", {"textDocument": {**document, "languageId": "mlir", "version": 1, "text": text}})
    say("textDocument/documentSymbol", {"textDocument": document}, id=name)
say("shutdown", None, id="done")
say("exit", None)
