// ConnectLines: the line that connects a client to this daemon, one for each known client.
//
// CONNECT-LINES-1  A line can be pasted unchanged into a shell (for Cursor, into its mcp.json). Without a token it
//                  reads AOS_TOKEN when it is used and contains no token.

export const clients = ["claude-code", "cursor", "openai", "codex"] as const;
export type ClientName = (typeof clients)[number];

export const isClientName = (text: string): text is ClientName =>
  (clients as readonly string[]).includes(text);

export interface ConnectTarget {
  /** Of the daemon, without a slash at its end. */
  readonly url: string;
  /** Undefined: CONNECT-LINES-1. */
  readonly token: string | undefined;
  readonly agent: string;
}

/** What is done with a line. */
export const purposes: Readonly<Record<ClientName, string>> = {
  "claude-code": "run it once: Claude Code then has the tools of /mcp",
  cursor: "put it into ~/.cursor/mcp.json: Cursor then has the tools of /mcp",
  openai: "run it, then start any OpenAI client: every agent is a model",
  codex: "runs the Codex CLI with the agent for its model",
};

export function connectLine(client: ClientName, { url, token, agent }: ConnectTarget): string {
  switch (client) {
    case "claude-code":
      return `claude mcp add --transport http aos ${url}/mcp --header "Authorization: Bearer ${token ?? "$AOS_TOKEN"}"`;
    case "cursor": {
      const headers = { Authorization: `Bearer ${token ?? "${env:AOS_TOKEN}"}` };
      return JSON.stringify({ mcpServers: { aos: { url: `${url}/mcp`, headers } } });
    }
    case "openai":
      return `export OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=${token ?? '"$AOS_TOKEN"'}`;
    case "codex": {
      const provider = `{name="Agent OS",base_url="${url}/v1",env_key="AOS_TOKEN",wire_api="responses"}`;
      const set = token === undefined ? "" : `AOS_TOKEN=${token} `;
      return `${set}codex -c model=${agent} -c model_provider=aos -c 'model_providers.aos=${provider}'`;
    }
  }
}
