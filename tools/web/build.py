"""Builds the engine in WebAssembly: target/web/fairlane.wasm, with fairlane.js, fairlane.d.ts and links.json beside it.

clang compiles every program of `algorithms/` for wasm32 and cargo the simulator, which wasm-ld links. rustup's wasm32
target is used if it is installed; else Debian's rustc-web, with the standard library built from rust-web-src.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from fairlane.engine import algorithms_with_state, describe
from fairlane.scenario import mobile_links
from fairlane.scenario.links import LINKS
from fairlane.scenario.topology import traces

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "target" / "web"
WASM = FOLDER / "fairlane.wasm"
TARGET = "wasm32-unknown-unknown"
HERE = Path(__file__).parent
ALGORITHMS = ROOT / "algorithms"
PAGE = ROOT / "labs"
"""Programs of the page itself, which experiments do not know by name."""
RUNTIME = ALGORITHMS / "interface" / "native" / "runtime"
# The dialect of crates/algorithm-native/src/compile_flags.rs. Volatile parameters, wrapping arithmetic, no C library.
FLAGS = [
    "--target=wasm32", "-std=gnu11", "-O2", "-ffreestanding", "-fwrapv", "-fno-strict-aliasing", "-w",
    "-fno-delete-null-pointer-checks", "-mbulk-memory", "-mnontrapping-fptoint", "-msign-ext",
    *(f"-I{ALGORITHMS / folder}" for folder in ("interface", "shared", "interface/native")), "-include", "vmlinux.h",
]  # fmt: skip
STACK_BYTES = 1 << 20
TOOLS = {"clang": "clang", "wasm-ld": "lld", "wasm-opt": "binaryen"}
"""Programs that are needed, and their packages in Debian."""


class MissingToolError(Exception):
    """A tool is not installed; the message says how to install it."""


def build() -> None:
    """Builds all of it.

    Raises:
        MissingToolError: A tool is not installed.
        subprocess.CalledProcessError: A compiler refused; it has written why.
    """
    missing = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    compiler = _compiler()
    if missing:
        raise MissingToolError(f"not installed: {', '.join(missing)}; try sudo apt-get install {' '.join(missing)}")
    options = ["-Clinker=wasm-ld", f"-Clink-arg=-zstack-size={STACK_BYTES}"]
    options += [f"-Clink-arg={path}" for path in _programs()]
    # Flags for this machine's processor do not apply.
    environment = {name: value for name, value in os.environ.items() if not name.endswith("RUSTFLAGS")}
    environment |= compiler[0] | {
        "FAIRLANE_PROGRAMS": str(FOLDER),
        "CARGO_TARGET_DIR": str(FOLDER / "cargo"),
        "CARGO_PROFILE_RELEASE_PANIC": "abort",
        "CARGO_PROFILE_RELEASE_DEBUG": "false",
        "CARGO_PROFILE_RELEASE_STRIP": "symbols",
    }
    command = ["cargo", "rustc", "--quiet", "--locked", "--release", "--lib", "--crate-type", "cdylib", *compiler[1]]
    command += ["--target", TARGET, "-p", "fairlane-web", "--", *options]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    built = FOLDER / "cargo" / TARGET / "release" / "fairlane_web.wasm"
    features = [
        "--enable-bulk-memory",
        "--enable-sign-ext",
        "--enable-nontrapping-float-to-int",
        "--enable-mutable-globals",
    ]
    subprocess.run(["wasm-opt", "-O3", *features, str(built), "-o", str(WASM)], check=True)
    for name in ("fairlane.js", "fairlane.d.ts"):
        shutil.copy(ROOT / "crates" / "web" / name, FOLDER / name)
    (FOLDER / "links.json").write_text(json.dumps(_links()))
    (FOLDER / "package.json").write_text('{"type": "module"}\n')  # for Node


def _links() -> dict[str, Any]:
    """Typical links for the page's menu, and the rates of those that vary."""
    period_ns = mobile_links.PERIOD_S * 10**9
    return {
        "links": [{"name": name, "about": link.summary, "settings": link.settings} for name, link in LINKS.items()],
        "traces": {
            name: {
                "mean_bps": traces.read(Path(name)).mean_bps,
                "period_ns": period_ns,
                "periods": mobile_links.PERIODS,
                "steps": [step for step in mobile_links.steps(name) if step[0] < period_ns],
            }
            for name in mobile_links.NAMES
        },
    }


def _compiler() -> tuple[dict[str, str], list[str]]:
    """Environment and options of cargo for a compiler that knows the target."""
    has_target = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", TARGET], capture_output=True, text=True
    )
    if has_target.returncode == 0 and any(Path(has_target.stdout.strip()).glob("libstd-*")):
        return {}, []
    compiler = os.environ.get("WASM_RUSTC", "/usr/bin/rustc")
    root = subprocess.run([compiler, "--print", "sysroot"], capture_output=True, text=True, check=False).stdout.strip()
    if not (Path(root) / "lib/rustlib/src/rust/library/Cargo.lock").exists():
        raise MissingToolError(
            f"no compiler for {TARGET}; try rustup target add {TARGET}, or sudo apt-get install rustc-web rust-web-src"
        )
    # build-std is unstable; RUSTC_BOOTSTRAP enables it in a stable compiler.
    return {"RUSTC": compiler, "RUSTC_BOOTSTRAP": "1"}, ["-Zbuild-std=std,panic_abort"]


def _programs() -> list[Path]:
    """Compiles the programs and the runtime, and writes what crates/web includes about them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    sources = {path.stem: path for path in sorted(ALGORITHMS.glob("*.c"))}
    programs = json.loads(algorithms_with_state())
    for path in sorted(PAGE.glob("*.c")):
        sources[path.stem] = path
        wanted = {key: value for key, value in describe(str(path)).items() if key in programs[0]}
        programs.append(wanted | {"name": path.stem, "state": []})
    (FOLDER / "programs.json").write_text(json.dumps(programs))
    names = [program["name"] for program in programs]
    externs = "\n".join(f'extern "C" {{ static fairlane_program_{name}: Table; }}' for name in names)
    entries = "\n".join(f"    Named({json.dumps(name)}, &raw const fairlane_program_{name})," for name in names)
    (FOLDER / "programs.rs").write_text(f"{externs}\nstatic PROGRAMS: [Named; {len(names)}] = [\n{entries}\n];\n")
    runtime = [*sorted(RUNTIME.glob("*.c")), HERE / "steps.c"]
    objects = [_compiled(path, FOLDER / f"runtime-{path.stem}.o") for path in runtime]
    return objects + [_program(program, sources[program["name"]]) for program in programs]


def _program(described: dict[str, Any], path: Path) -> Path:
    """Compiles a program whose only global symbol is its description: all others would collide with other programs'."""
    name = described["name"]
    parameters = "".join(f"FAIRLANE_PARAMETER({one['name']}), " for one in described["parameters"])
    source = FOLDER / f"{name}.c"
    source.write_text(
        f'#include "{HERE / "steps.h"}"\n#include "{path}"\n#include "{HERE / "program.h"}"\n'
        f"static const struct fairlane_parameter fairlane_parameters[] = {{ {parameters} }};\n"
        f"const struct fairlane_program fairlane_program_{name} = {{ &{name}, fairlane_parameters, "
        f"sizeof(fairlane_parameters) / sizeof(struct fairlane_parameter) }};\n"
    )
    assembly = FOLDER / f"{name}.s"
    _clang("-S", source, assembly)
    lines = assembly.read_text().splitlines()
    kept = [line for line in lines if ".globl" not in line or line.split()[1] == f"fairlane_program_{name}"]
    assembly.write_text("\n".join(kept) + "\n")
    return _compiled(assembly, FOLDER / f"{name}.o")


def _compiled(source: Path, output: Path) -> Path:
    _clang("-c", source, output)
    return output


def _clang(stage: str, source: Path, output: Path) -> None:
    flags = FLAGS if source.suffix == ".c" else [flag for flag in FLAGS if flag.startswith(("--target", "-m"))]
    subprocess.run(["clang", *flags, stage, str(source), "-o", str(output)], check=True)
