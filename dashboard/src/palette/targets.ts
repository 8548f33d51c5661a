// Targets: what the palette finds.
//
// TARGETS-1  Every word that was typed occurs in what is found; what begins with them comes first.

import type { AgentReport, ProcessInfo } from "@aos/protocol/words";
import { shortId } from "../parts/format.ts";
import { navigationGroups } from "../shell/navigation.ts";

export interface PaletteTarget {
  readonly path: string;
  readonly name: string;
  readonly note: string;
  /** What it is found by. */
  readonly words: string;
}

const MOST_FOUND = 30;

export function targetsOf(from: {
  agents: readonly AgentReport[];
  runs: readonly ProcessInfo[];
}): PaletteTarget[] {
  const views = navigationGroups.flatMap(({ name: group, entries }) =>
    entries.map(({ to, name, words = "" }) => ({
      path: to,
      name,
      note: group,
      words: `${name} ${words}`,
    })),
  );
  const agents = from.agents.map(({ name, description }) => ({
    path: `/agents/${encodeURIComponent(name)}`,
    name,
    note: "agent",
    words: `${name} ${description}`,
  }));
  const runs = from.runs.map(({ pid, agent, state }) => ({
    path: `/runs/${pid}`,
    name: `${agent} ${shortId(pid)}`,
    note: state,
    words: `${agent} ${pid} ${state}`,
  }));
  return [...views, ...agents, ...runs];
}

export function findTargets(targets: readonly PaletteTarget[], typed: string): PaletteTarget[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const begins = ({ name }: PaletteTarget) =>
    words.length > 0 && name.toLowerCase().startsWith(words[0]!) ? 0 : 1;
  return targets
    .filter((target) => words.every((word) => target.words.toLowerCase().includes(word)))
    .toSorted((a, b) => begins(a) - begins(b)) // TARGETS-1
    .slice(0, MOST_FOUND);
}
