"""The section of a page that a script makes: what is between the script's marks."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception


def marks(script):
    return f"<!-- {script}: begin -->", f"<!-- {script}: end -->"


def problem(document, script):
    """What is wrong with the page, if its section cannot be replaced."""
    text = document.read_text() if document.is_file() else ""
    begin, end = marks(script)
    return None if begin in text and end in text else f"expected the lines {begin} and {end} in {document}"


def replace_section(document, script, text):
    begin, end = marks(script)
    old = document.read_text()
    before, after = old.split(begin)[0], old.split(end)[1]
    document.write_text(f"{before}{begin}\n\n{text}\n{end}{after}")
