// A process or an agent, as one word: `@last` and what begins with `agt_` is a process.

export const holderOf = (text: string): { pid: string } | { agent: string } =>
  text === "@last" || text.startsWith("agt_") ? { pid: text } : { agent: text };
