"""Counts the words of its input, a paragraph at a time, and keeps the count in its working memory."""

import re

import aos


def main(sys, input, state=None):
    text = input if isinstance(input, str) else ""
    words = 0
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text), start=1):
        count = len(re.findall(r"\w+", paragraph))
        words += count
        # Each write is in the journal: killed here, the program goes on from here.
        sys.write(f"/mem/working/paragraphs/{number}", {"words": count})
    return {"words": words, "paragraphs": len(sys.list("/mem/working/paragraphs"))}


if __name__ == "__main__":
    aos.run(main)
