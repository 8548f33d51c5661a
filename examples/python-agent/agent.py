"""Counts the words of its input, a paragraph at a time, and keeps the count in its working memory."""

import pathlib
import re
import sys as python
from collections import Counter

python.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "sdk" / "python"))
import aos  # noqa: E402


def main(sys, input, state=None):
    text = input if isinstance(input, str) else (input or {}).get("text", "")
    began = sys.now()

    counted = Counter()
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text), start=1):
        words = re.findall(r"\w+", paragraph.lower())
        counted.update(words)
        # Each write is in the journal: killed here, the program goes on from here.
        sys.write(f"/mem/working/paragraphs/{number}", {"words": len(words)})

    paragraphs = sys.list("/mem/working/paragraphs")
    most_used = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:5]
    lucky = sorted(counted)[int(sys.random() * len(counted))] if counted else None
    print(f"counted {len(paragraphs)} paragraphs")  # Goes to standard error, and so to the log.

    return {
        "words": sum(counted.values()),
        "distinct": len(counted),
        "paragraphs": len(paragraphs),
        "mostUsed": [{"word": word, "times": times} for word, times in most_used],
        "luckyWord": lucky,
        "startedAt": began,
    }


if __name__ == "__main__":
    aos.run(main)
