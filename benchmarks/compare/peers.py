"""Who is compared, and the virtual environments they run in."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = "fusion"
SYSTEM_PYTHON = "/usr/bin/python3"

LIST_INSTALLED = "from importlib.metadata import distributions as d; print(*(f'{x.name}=={x.version}' for x in d()), sep='\\n')"


def known():
    """All peers of peers.toml by name, each a dict."""
    return tomllib.loads((HERE / "peers.toml").read_text())["peers"]


class Environments:
    """Virtual environments in one folder, made and filled where something is missing."""

    def __init__(self, folder, say):
        self.folder, self.say = Path(folder), say
        self.base = tomllib.loads((HERE / "peers.toml").read_text())["environments"]

    def python(self, name):
        return self.folder / name / "bin" / "python"

    def provide(self, name, packages=()):
        """Returns what went wrong, or None. What is there already, at the right version, is used."""
        python, wanted = self.python(name), [*self.base[name], *packages]
        try:
            if not python.exists():
                self.say(f"make the environment {self.folder / name}")
                self._run([SYSTEM_PYTHON, "-m", "venv", str(self.folder / name)])
            installed = self._run([python, "-c", LIST_INSTALLED]).lower().replace("_", "-").split()
            if missing := [package for package in wanted if package not in installed]:
                self.say(f"install {' '.join(missing)}")
                self._run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", *missing])
        except OSError as error:
            return str(error)
        return None

    @staticmethod
    def _run(command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            raise OSError(lines[-1][:300] if lines else f"{command[0]} exited with {done.returncode}")
        return done.stdout


def ours(args):
    """The peer that we are."""
    return {
        "title": "mlir-fusion",
        "python": sys.executable,
        "worker": "fusion.py",
        "options": {"driver": str(args.driver), "flags": args.flags},
    }


def choose(names, environments):
    """The peers by name, with their Python, and why the others can't be had."""
    chosen, refused = {}, {}
    for name in names:
        peer = known()[name]
        if problem := environments.provide(peer["environment"], peer["packages"]):
            refused[name] = f"not installed: {problem}"
            environments.say(f"{peer['title']}: {refused[name]}")
        else:
            chosen[name] = dict(peer, python=str(environments.python(peer["environment"])))
    return chosen, refused
