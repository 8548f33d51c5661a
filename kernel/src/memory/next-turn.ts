// Next turn: long work in this process lets others run between its parts.

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
