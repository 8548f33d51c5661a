// Patch: a unified diff; what was added and removed is marked by its sign as well as by colour.

import { visibleText } from "@aos/protocol/words";

const inks: Readonly<Record<string, string>> = {
  "+": "bg-good/10 text-good",
  "-": "bg-bad/10 text-bad",
  "@": "text-accent",
};

/** It names the file, which stands above. */
const HEADER = /^(diff --git |index |--- |\+\+\+ )/;

export function Patch({ text }: { text: string }) {
  const lines = visibleText(text)
    .split("\n")
    .filter((line) => !HEADER.test(line));
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="max-h-[36rem] overflow-auto border-t border-line bg-ground py-2 font-mono text-[12.5px] leading-5"
    >
      {lines.map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <span key={index} className={`block px-4 whitespace-pre-wrap ${inks[line[0] ?? ""] ?? ""}`}>
          {line === "" ? " " : line}
        </span>
      ))}
    </pre>
  );
}
