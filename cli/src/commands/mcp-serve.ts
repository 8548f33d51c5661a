// `aos mcp serve`: the daemon as an MCP server over standard input and output. It only forwards messages, one a line,
// in both directions.
//
// MCP-SERVE-1  Standard output has only messages.
// MCP-SERVE-2  It ends when either side does.

import { request as requestPlain, type IncomingMessage, type RequestOptions } from "node:http";
import { request as requestTls } from "node:https";
import type { Duplex } from "node:stream";
import { isFailureCode, SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import type { Endpoint } from "../endpoint.ts";

const UPGRADE = "mcp-stdio";

const command: Command = async ({ client, endpoint }) => {
  await client.status(); // starts the daemon where there is none
  const wire = await connect(endpoint);
  process.stdin.pipe(wire);
  await new Promise<void>((resolve, reject) => {
    wire.once("error", reject);
    wire.once("close", resolve);
    wire.pipe(process.stdout, { end: false });
  });
  // The daemon may be gone before whoever writes to us is.
  process.stdin.destroy();
};

export default command;

async function connect({ socket, remote }: Endpoint): Promise<Duplex> {
  const headers = { connection: "upgrade", upgrade: UPGRADE };
  if (remote === undefined) {
    const path = `/mcp?cwd=${encodeURIComponent(process.cwd())}`;
    return upgraded(requestPlain, { socketPath: socket, path, headers });
  }
  const { protocol, hostname, port } = new URL(remote.url);
  const request = protocol === "https:" ? requestTls : requestPlain;
  const authorization = `Bearer ${remote.token}`;
  return upgraded(request, {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port,
    path: "/mcp",
    headers: { ...headers, authorization },
  });
}

function upgraded(request: typeof requestPlain, options: RequestOptions): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const asking = request(options);
    asking.once("upgrade", (_response, wire, head) => {
      if (head.length > 0) wire.unshift(head);
      resolve(wire);
    });
    asking.once("response", (response) => {
      refusalIn(response).then(reject, reject);
    });
    asking.once("error", (error) =>
      reject(new SysError("EINTR", `the daemon cannot be reached: ${error.message}`)),
    );
    asking.end();
  });
}

/** What the daemon said instead. */
async function refusalIn(response: IncomingMessage): Promise<SysError> {
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += String(piece);
  try {
    const said = JSON.parse(text) as { code: string; message: string; hint?: string };
    if (isFailureCode(said.code)) return new SysError(said.code, said.message, said);
  } catch {
    // Not one of ours.
  }
  const status = response.statusCode ?? 0;
  const hint = "check that AOS_URL is the address of a daemon of this version";
  return new SysError("EINVAL", `the daemon answered ${status} instead of opening a connection`, {
    hint,
  });
}
