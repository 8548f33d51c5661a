// IsAtTerminal: whether a person can read what is asked and type the answer.

export const isAtTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY;
