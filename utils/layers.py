"""Checks that rooms use only the rooms that utils/layers.txt allows them."""
import pathlib
import re

PLAIN_C = {"Tiny/Runtime/Abi.h", "Tiny/Runtime/Format.h", "Tiny/Runtime/ItemKinds.h"}
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^">]+)[">]')
COMPILER = re.compile(r"(llvm|llvm-c|mlir|mlir-c|clang|clang-c|lld)/")
# No IR in here, though LLVM's containers and upstream's arithmetic of sets.
WITHOUT_IR = {"Algebra"}
IR = re.compile(r"mlir/(?!Analysis/Presburger/)")


class Layers:
    def __init__(self, root: pathlib.Path, table: pathlib.Path):
        self.root = root
        self.allowed: dict[str, set[str]] = {}
        for line in table.read_text().splitlines():
            if line and not line.startswith("#"):
                room, _, others = line.partition(":")
                self.allowed[room] = set(others.split())
        self.without_compiler = {"Files", "Runtime", "tools/tiny-exec"}

    def room_of(self, name: str):
        """The room of a file or folder, named below lib/ or include/Tiny/ or as tools/...: the longest that fits."""
        rooms = [room for room in self.allowed if name == room or name.startswith(room + "/")]
        return max(rooms, key=len, default=None)

    def name_of(self, path: pathlib.Path) -> str:
        name = path.relative_to(self.root).as_posix()
        return name.removeprefix("lib/").removeprefix("include/Tiny/")

    def forbid(self, room: str, other: str):
        """Why a room may not use another, or None."""
        if room == other or other in self.allowed[room]:
            return None
        return f"{room} may not use {other} (utils/layers.txt)"

    def check_includes(self, paths):
        for path in paths:
            where = path.relative_to(self.root)
            room = self.room_of(self.name_of(path))
            if room is None:
                yield f"{where}: utils/layers.txt has no room for it"
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                # TableGen's includes have no #.
                match = INCLUDE.match(line) or re.match(r'\s*include "([^"]+)"', line)
                if not match or match[1] in PLAIN_C:
                    continue
                if room in self.without_compiler and COMPILER.match(match[1]):
                    yield f"{where}:{number}: {room} may not use LLVM: {line.strip()}"
                if room.split("/")[0] in WITHOUT_IR and IR.match(match[1]):
                    yield f"{where}:{number}: {room} may not use IR: {line.strip()}"
                if match[1].startswith("Tiny/"):
                    other = self.room_of(match[1].removeprefix("Tiny/"))
                elif (target := (path.parent / match[1])).exists() and target.resolve().is_relative_to(self.root.resolve()):
                    other = self.room_of(self.name_of(self.root.resolve() / target.resolve().relative_to(self.root.resolve())))
                    if other != room:
                        yield f"{where}:{number}: a private header of {other}: {match[1]}"
                        continue
                else:
                    continue
                if other is None:
                    yield f"{where}:{number}: utils/layers.txt has no room for {match[1]}"
                elif why := self.forbid(room, other):
                    yield f"{where}:{number}: {why}: {match[1]}"

    def check_links(self, lists):
        """Libraries, as their CMakeLists.txt link them, stand in the same layers."""
        rooms, links = {}, []
        for path in lists:
            text = re.sub(r"#.*", "", path.read_text())
            for name, body in re.findall(r"(?:add_library|tiny_add_tool)\((\w[\w-]*)([^)]*)\)", text):
                rooms[name] = self.room_of(self.name_of(path.parent))
                links += [(path, name, other) for other in body.partition("LINK")[2].split()]
            for name, others in re.findall(r"target_link_libraries\((\w[\w-]*)([^)]*)\)", text):
                links += [(path, name, other) for other in others.split()]
        for path, name, other in links:
            if rooms.get(name) and rooms.get(other) and other != "TinyRuntimeFormat":
                if why := self.forbid(rooms[name], rooms[other]):
                    yield f"{path.relative_to(self.root)}: {name} links {other}: {why}"
