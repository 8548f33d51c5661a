// Rewrites `aos kill -KILL PID` to the form of the parser: `--signal KILL`.

export function spellSignals(words: readonly string[]): string[] {
  if (words[0] !== "kill") return [...words];
  return words.flatMap((word) => {
    const signal = /^-([A-Z][A-Z0-9]{2,}|\d+)$/.exec(word)?.[1];
    return signal === undefined ? [word] : ["--signal", signal];
  });
}
