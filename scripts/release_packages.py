"""The packages, each from the same program; for scripts/release."""
import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile

import release_files as files
from common import ROOT

SUMMARY = "Reads, checks, prices and shows the sessions that Claude Code keeps"
LICENCE = "MIT OR Apache-2.0"
DEBIAN = {"x86_64-unknown-linux-gnu": "amd64", "aarch64-unknown-linux-gnu": "arm64"}
NODE = {"x86_64-unknown-linux-gnu": ("linux", "x64"), "aarch64-unknown-linux-gnu": ("linux", "arm64"),
        "aarch64-apple-darwin": ("darwin", "arm64"), "x86_64-apple-darwin": ("darwin", "x64")}


def packaging(name):
    with open(os.path.join(ROOT, "packaging", name), encoding="utf-8") as file:
        return file.read()


def glibc_of(program):
    """The newest glibc that a program asks for: older systems cannot run it."""
    found = [tuple(map(int, one.groups())) for one in re.finditer(rb"GLIBC_(\d+)\.(\d+)", program)]
    return max(found, default=(2, 17))


def wheel_tag(release):
    machine = release.triple.split("-")[0]
    if "linux" in release.triple:
        return "manylinux_%d_%d_%s" % (*glibc_of(release.program), machine)
    return f"macosx_11_0_{'arm64' if machine == 'aarch64' else machine}"


def write_all(release, out):
    tarball = write_tarball(release, out)
    written = [tarball, write_wheel(release, out), *write_npm(release, out), write_formula(release, tarball, out), write_dockerfile(out)]
    if release.triple in DEBIAN:
        if shutil.which("dpkg-deb"):
            written.append(write_deb(release, out))
        else:
            print("skipped: the .deb: dpkg-deb is not installed")
    return written


def write_tarball(release, out):
    name = f"annals-{release.version}-{release.triple}"
    entries = {"annals": (release.program, True), "annals.1": (release.man, False)}
    entries |= {f"completions/{shell}": (script, False) for shell, script in release.completions.items()}
    entries |= {text: (content, False) for text, content in release.texts.items()}
    return files.write_tarball(os.path.join(out, f"{name}.tar.gz"), {f"{name}/{path}": entry for path, entry in entries.items()})


def write_wheel(release, out):
    info, data = f"annals_cli-{release.version}.dist-info", f"annals_cli-{release.version}.data"
    tag = f"py3-none-{wheel_tag(release)}"
    metadata = f"Metadata-Version: 2.4\nName: annals-cli\nVersion: {release.version}\nSummary: {SUMMARY}\nLicense-Expression: {LICENCE}\nLicense-File: LICENSE-MIT\nLicense-File: LICENSE-APACHE\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n"
    entries = {
        f"{data}/scripts/annals": (release.program, True),
        f"{data}/data/share/man/man1/annals.1": (release.man, False),
        f"{info}/METADATA": (metadata.encode() + release.texts["README.md"], False),
        f"{info}/WHEEL": (f"Wheel-Version: 1.0\nGenerator: annals-release\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), False),
        f"{info}/licenses/LICENSE-MIT": (release.texts["LICENSE-MIT"], False),
        f"{info}/licenses/LICENSE-APACHE": (release.texts["LICENSE-APACHE"], False),
    }
    return files.write_wheel(os.path.join(out, f"annals_cli-{release.version}-{tag}.whl"), info, entries)


def write_npm(release, out):
    """The package that people install, and the one with the program, which it asks for on systems that it fits."""
    system, machine = NODE[release.triple]
    own = f"annals-{system}-{machine}"
    known = sorted(f"annals-{system}-{machine}" for system, machine in NODE.values())
    common = {"version": release.version, "description": SUMMARY, "license": LICENCE}
    licences = {f"package/{name}": (release.texts[name], False) for name in ("LICENSE-MIT", "LICENSE-APACHE")}
    manifest = lambda value: (json.dumps(value, indent=2).encode() + b"\n", False)
    launcher = {
        "package/package.json": manifest({"name": "annals", **common, "bin": {"annals": "launcher.js"}, "engines": {"node": ">=18"},
                                          "optionalDependencies": {name: release.version for name in known}}),
        "package/launcher.js": (packaging("launcher.js").encode(), True),
        "package/README.md": (release.texts["README.md"], False), **licences,
    }
    program = {
        "package/package.json": manifest({"name": own, **common, "os": [system], "cpu": [machine], **({"libc": ["glibc"]} if system == "linux" else {})}),
        "package/bin/annals": (release.program, True), "package/annals.1": (release.man, False), **licences,
    }
    return [files.write_tarball(os.path.join(out, f"{name}-{release.version}.tgz"), entries) for name, entries in (("annals", launcher), (own, program))]


def write_deb(release, out):
    """Built by dpkg-deb from a folder whose files have no time of their own."""
    architecture = DEBIAN[release.triple]
    control = f"Package: annals\nVersion: {release.version}\nArchitecture: {architecture}\nMaintainer: The annals authors <annals@example.invalid>\nSection: utils\nPriority: optional\nDepends: libc6 (>= %d.%d)\nSuggests: bubblewrap\nDescription: {SUMMARY}\n" % glibc_of(release.program)
    with tempfile.TemporaryDirectory(prefix="annals-deb-") as folder:
        entries = {
            "DEBIAN/control": (control.encode(), 0o644), "usr/bin/annals": (release.program, 0o755),
            "usr/share/man/man1/annals.1.gz": (gzip.compress(release.man, 9, mtime=0), 0o644),
            "usr/share/bash-completion/completions/annals": (release.completions["annals.bash"], 0o644),
            "usr/share/zsh/vendor-completions/_annals": (release.completions["_annals"], 0o644),
            "usr/share/fish/vendor_completions.d/annals.fish": (release.completions["annals.fish"], 0o644),
            "usr/share/doc/annals/copyright": (release.texts["LICENSE-MIT"] + b"\n" + release.texts["LICENSE-APACHE"], 0o644),
            "usr/share/doc/annals/changelog.gz": (gzip.compress(release.texts["CHANGELOG.md"], 9, mtime=0), 0o644),
        }
        for name, (content, mode) in entries.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
            os.chmod(path, mode)
        for place, _, _ in os.walk(folder):
            os.chmod(place, 0o755)
        path = os.path.join(out, f"annals_{release.version}_{architecture}.deb")
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, path], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": "315532800"})
    return path


def write_formula(release, tarball, out):
    values = {"HOMEPAGE": release.base, "URL": f"{release.base}/{os.path.basename(tarball)}", "VERSION": release.version, "SHA256": files.sha256(tarball)}
    text = re.sub(r"@([A-Z0-9]+)@", lambda found: values[found[1]], packaging("annals.rb"))
    path = os.path.join(out, "annals.rb")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def write_dockerfile(out):
    path = os.path.join(out, "Dockerfile")
    shutil.copyfile(os.path.join(ROOT, "packaging", "Dockerfile"), path)
    return path


def write_sbom(release, out):
    """What the program is built from, as CycloneDX: the crates that cargo resolves for this system, without those of tests."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", release.triple]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    path = os.path.join(out, f"annals-{release.version}.cdx.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(sbom(metadata, release.version), file, indent=1)
        file.write("\n")
    return path


def sbom(metadata, version):
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    by_id = {package["id"]: package for package in metadata["packages"]}
    root = next(package["id"] for package in metadata["packages"] if package["name"] == "annals")
    is_built = lambda edge: any(kind["kind"] != "dev" for kind in edge["dep_kinds"])
    reached, waiting = set(), [root]
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting.extend(edge["pkg"] for edge in nodes[one]["deps"] if is_built(edge))
    name = lambda one: f"pkg:cargo/{by_id[one]['name']}@{by_id[one]['version']}"

    def component(one):
        package = by_id[one]
        licences = [{"expression": package["license"].replace("/", " OR ")}] if package.get("license") else []
        return {"type": "library", "bom-ref": name(one), "name": package["name"], "version": package["version"], "purl": name(one), "licenses": licences}

    others = sorted(reached - {root}, key=name)
    depends = [{"ref": name(one), "dependsOn": sorted({name(edge["pkg"]) for edge in nodes[one]["deps"] if is_built(edge)})} for one in sorted(reached, key=name)]
    main = {"type": "application", "bom-ref": name(root), "name": "annals", "version": version, "purl": name(root), "licenses": [{"expression": LICENCE}]}
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": main}, "components": [component(one) for one in others], "dependencies": depends}


def self_test():
    assert glibc_of(b"x GLIBC_2.2.5 GLIBC_2.34 GLIBC_2.9") == (2, 34) and glibc_of(b"") == (2, 17)
    package = lambda name, licence: {"id": name, "name": name, "version": "1", "license": licence}
    edge = lambda name, kind: {"pkg": name, "dep_kinds": [{"kind": kind}]}
    metadata = {"packages": [package("annals", "MIT"), package("a", "MIT/Apache-2.0"), package("t", None)],
                "resolve": {"nodes": [{"id": "annals", "deps": [edge("a", None), edge("t", "dev")]}, {"id": "a", "deps": []}, {"id": "t", "deps": []}]}}
    made = sbom(metadata, "1")
    assert [one["name"] for one in made["components"]] == ["a"] and made["components"][0]["licenses"] == [{"expression": "MIT OR Apache-2.0"}]
    assert made["dependencies"][1] == {"ref": "pkg:cargo/annals@1", "dependsOn": ["pkg:cargo/a@1"]}
    assert "@" not in re.sub(r"@([A-Z0-9]+)@", "", packaging("annals.rb"))
