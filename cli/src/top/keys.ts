// Keys: what a terminal sends when one is pressed.

const sent = {
  "\u0003": "stop",
  "\u001b": "escape",
  "\u001b[A": "up",
  "\u001b[B": "down",
  "\u001bOA": "up",
  "\u001bOB": "down",
  "\r": "enter",
  "\n": "enter",
} as const;

export type Key = (typeof sent)[keyof typeof sent] | "k" | "n" | "p" | "q" | "y" | "other";

const letters = new Set(["k", "n", "p", "q", "y"]);

/** Several may come at once. */
export function keysIn(text: string): Key[] {
  // oxlint-disable-next-line no-control-regex
  const pieces = text.match(/\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])?|[^\u001b]/gu) ?? [];
  return pieces.map((piece) => {
    if (Object.hasOwn(sent, piece)) return sent[piece as keyof typeof sent];
    const letter = piece.toLowerCase();
    return letters.has(letter) ? (letter as Key) : "other";
  });
}
