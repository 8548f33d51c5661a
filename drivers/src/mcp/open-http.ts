// Open HTTP: opens a protocol channel for a declaration with a URL.

import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SysError } from "@aos/protocol";
import type { EgressOptions } from "../web/egress.ts";
import type { CallRegistry } from "./call-registry.ts";
import type { McpChannel } from "./connection.ts";
import type { HttpDeclaration } from "./declaration.ts";
import { egressFetch } from "./egress-fetch.ts";
import { NeedsProcess } from "./needs-process.ts";
import { oauthFetch, SignIn, type OpenAuthorization } from "./sign-in.ts";

/** Redirect address of the sign-in. No server listens there: people copy the address. */
const REDIRECT_URL = "http://localhost:8765/callback";

export function openHttp(
  declaration: HttpDeclaration,
  registry: CallRegistry,
  signIn: SignIn,
  egress: EgressOptions = {},
): McpChannel {
  const fetch = oauthFetch(declaration.url, signIn, egressFetch(declaration, registry, egress));
  const transport = new StreamableHTTPClientTransport(new URL(declaration.url), { fetch });
  return {
    transport,
    departure: () => "the connection was closed",
    close: async () => {
      // A session that is left open is the server's to forget.
      if (transport.sessionId !== undefined) await transport.terminateSession().catch(() => {});
      await transport.close();
    },
  };
}

export const signInOf = (declaration: HttpDeclaration, registry: CallRegistry): SignIn =>
  new SignIn({ redirectUrl: REDIRECT_URL, visit: visitByAsking(declaration.name, registry) });

/** A person goes there, and brings back the address that the browser ended at. */
function visitByAsking(server: string, registry: CallRegistry): OpenAuthorization {
  return async (address) => {
    const sender = registry.sender();
    if (sender === undefined)
      throw new NeedsProcess("EACCES", `the MCP server ${server} needs a sign-in`, {
        hint: `start the sign-in with: aos tool call mcp.${server}`,
      });
    const answer = await sender.ask({
      text: [
        `The MCP server ${server} requires a sign-in. Open ${address.href}`,
        `Then answer with the address that the browser is redirected to. It begins with ${REDIRECT_URL}; the page need not load.`,
      ].join("\n"),
      schema: { type: "string", description: `begins with ${REDIRECT_URL}` },
    });
    const text = typeof answer === "string" ? answer.trim().replace(/^"(.*)"$/, "$1") : "";
    if (!text.startsWith(`${REDIRECT_URL}?`))
      throw new SysError("EINVAL", `the answer is not an address that begins with ${REDIRECT_URL}`);
    return new URL(text).searchParams;
  };
}
