// Keys: decodes the key presses of a terminal.
//
// KEYS-1  A named key has more than one letter; every other value is the typed character.

const sent = {
  "\u0003": "stop",
  "\u001b": "escape",
  "\u001b[A": "up",
  "\u001b[B": "down",
  "\u001bOA": "up",
  "\u001bOB": "down",
  "\u001b[5~": "page-up",
  "\u001b[6~": "page-down",
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "back",
  "\b": "back",
} as const;

/** KEYS-1. */
export type Key = string;

/** Several may come at once. */
export function keysIn(text: string): Key[] {
  // oxlint-disable-next-line no-control-regex
  const pieces = text.match(/\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])?|[^\u001b]/gu) ?? [];
  return pieces.map((piece) => {
    if (Object.hasOwn(sent, piece)) return sent[piece as keyof typeof sent];
    return /^\P{C}$/u.test(piece) ? piece : "other";
  });
}
