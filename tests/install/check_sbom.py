# SPDX-License-Identifier: Apache-2.0
"""Checks an installed tombola.spdx.json: the fields that SPDX 2.3 requires, that each reference leads somewhere, the hashes beside
those of the installed library, and that each shared library that the library needs (readelf) is in the list.

usage: check_sbom.py PREFIX VERSION READELF
"""
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

# SPDX 2.3, schemas/spdx-schema.json: "required".
DOCUMENT = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"}
PACKAGE = {"SPDXID", "name", "downloadLocation"}
RELATIONSHIP = {"spdxElementId", "relationshipType", "relatedSpdxElement"}
FILE = {"SPDXID", "fileName", "checksums"}
# Which package a shared library belongs to.
PACKAGES = {"libgomp": "libgomp", "libomp": "libomp", "libtbb": "oneTBB", "libstdc++": "libstdc++", "libc++": "libc++",
            "libc++abi": "libc++", "libgcc_s": "libgcc", "libc": "glibc", "libm": "glibc", "libpthread": "glibc",
            "ld-linux-x86-64": "glibc", "ld-linux-aarch64": "glibc"}


def check(condition, message):
    if not condition:
        sys.exit(f"check_sbom: {message}")


def main():
    prefix, version, readelf = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    found = list(prefix.glob("share/doc/libtombola*/tombola.spdx.json"))
    check(len(found) == 1, f"{prefix}/share/doc/libtombola*/tombola.spdx.json: expected one file, found {len(found)}")
    sbom = json.loads(found[0].read_text())
    for required, elements in ((DOCUMENT, [sbom]), (PACKAGE, sbom["packages"]), (RELATIONSHIP, sbom["relationships"]),
                               (FILE, sbom["files"])):
        for element in elements:
            check(required <= element.keys(), f"{element} lacks {required - element.keys()}")
    check(sbom["spdxVersion"] == "SPDX-2.3", sbom["spdxVersion"])
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", sbom["creationInfo"]["created"]), sbom["creationInfo"])
    elements = [sbom, *sbom["packages"], *sbom["files"]]
    ids = [element["SPDXID"] for element in elements]
    check(len(set(ids)) == len(ids), f"an SPDXID stands twice: {ids}")
    for name in ids:
        check(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name), f"{name} is no SPDXID")
    for relationship in sbom["relationships"]:
        for end in ("spdxElementId", "relatedSpdxElement"):
            check(relationship[end] in ids, f"{relationship} leads nowhere")
    packages = {package["name"]: package for package in sbom["packages"]}
    check(packages["tombola"]["versionInfo"] == version, f"tombola is {packages['tombola']['versionInfo']}, not {version}")
    for name in packages.keys() & {"pybind11"}:  # if there is a Python module
        check(re.fullmatch(r"\d+(\.\d+)+", packages[name]["versionInfo"]), f"pybind11: {packages[name]['versionInfo']}")
    for name in packages.keys() & {"xbyak"}:  # of x86-64 alone
        check(re.fullmatch(r"\d+\.\d+(\.\w)?", packages[name]["versionInfo"]), f"Xbyak: {packages[name]['versionInfo']}")

    library = prefix / sbom["files"][0]["fileName"]
    for checksum in sbom["files"][0]["checksums"]:
        is_value = hashlib.new(checksum["algorithm"], library.read_bytes()).hexdigest()
        check(is_value == checksum["checksumValue"], f"{checksum} is not that of {library}, {is_value}")
    if library.suffix != ".a":
        dynamic = subprocess.run([readelf, "-dW", library], capture_output=True, text=True, check=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*?)\.so", dynamic)
        check(needed, f"{library} needs nothing")
        for name in needed:
            # Sanitizers are no part of what is delivered.
            if name in ("libasan", "libubsan", "libtsan"):
                continue
            check(PACKAGES.get(name) in packages, f"{library.name} needs {name}, which the list does not have")
    print(f"check_sbom: {len(packages)} packages, the hashes of {library.name} agree")


if __name__ == "__main__":
    main()
