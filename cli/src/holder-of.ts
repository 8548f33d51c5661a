// A process or an agent as one word: `@last` and words that begin with `agt_` are processes.

export const holderOf = (text: string): { pid: string } | { agent: string } =>
  text === "@last" || text.startsWith("agt_") ? { pid: text } : { agent: text };
