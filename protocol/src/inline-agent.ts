// Inline agents: children whose manifest is an argument of `spawn`. Their name begins with `inline/`, which no
// registered agent has, so that neither standing grants nor budgets nor rules of a registered agent are theirs.
//
//   agentOfSpawn({ agent: "helper" })                          helper
//   agentOfSpawn({ manifest: { name: "helper", … } })          inline/helper

const INLINE = "inline/";

export const isInlineAgent = (agent: string): boolean => agent.startsWith(INLINE);

export const inlineAgentNamed = (name: string): string => `${INLINE}${name}`;

/** What a spawn starts, as a capability `agent:…:spawn` names it. */
export function agentOfSpawn({
  agent,
  manifest,
}: {
  readonly agent?: string | undefined;
  readonly manifest?: unknown;
}): string {
  if (agent !== undefined) return agent;
  const { name } = (manifest ?? {}) as { readonly name?: unknown };
  return inlineAgentNamed(typeof name === "string" ? name : "");
}
