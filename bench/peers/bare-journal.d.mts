import type { DatabaseSync } from "node:sqlite";

interface BareAgent {
  readonly id: number;
}

export function openBareJournal(file: string): {
  readonly db: DatabaseSync;
  readonly newAgents: (count: number) => BareAgent[];
  readonly round: (
    agents: readonly BareAgent[],
    step: number,
    payloadOf: (agent: number, step: number) => string,
  ) => void;
};
