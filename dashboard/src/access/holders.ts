// Holders: who holds capabilities that speak of something.
//
// HOLDERS-1  Of a chain only its last block is listed, and only where the chain is held: every block above it allows
//     at least as much.

import type { AgentReport, PowerReport } from "@aos/protocol/words";

export interface CapabilityHolder {
  readonly agent: string;
  /** Null for an agent that is not running: what its manifest grants. */
  readonly pid: string | null;
  readonly text: string;
  readonly through: string;
}

export function holdersOf(from: {
  agents: readonly AgentReport[];
  powers: readonly PowerReport[];
  what: string;
}): CapabilityHolder[] {
  const words = from.what.trim().toLowerCase();
  const speaksOf = ({ text }: CapabilityHolder) => text.toLowerCase().includes(words);
  const byManifest = from.agents.flatMap(({ name, capabilities }) =>
    capabilities.map((text) => ({ agent: name, pid: null, text, through: "its manifest" })),
  );
  const held = from.powers.flatMap(({ agent, pid, holdings }) =>
    holdings
      .filter(({ state }) => state === "held") // HOLDERS-1
      .flatMap(({ chain, by }) =>
        (chain.at(-1)?.capabilities ?? []).map(({ text }) => ({
          agent,
          pid,
          text,
          through: [`given by ${by}`, ...chain.slice(0, -1).map(({ holder }) => holder)].join(
            " → ",
          ),
        })),
      ),
  );
  return [...held, ...byManifest].filter(speaksOf);
}
