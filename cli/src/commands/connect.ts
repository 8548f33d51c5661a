// `aos connect`: the line that connects a client, with a token where one is asked for.

import { SysError } from "@aos/protocol/words";
import type { CommandCall, Command } from "../command.ts";
import { clients, type ClientName, connectLine, isClientName, purposes } from "../connect-lines.ts";

const command: Command = async (call) => {
  const { args, options, out } = call;
  const [name] = args;
  if (name !== undefined && !isClientName(name)) {
    throw new SysError("EINVAL", `it is not known how to connect ${name}`, {
      hint: `there are ${clients.join(", ")}; openai is for any client of OpenAI's API`,
    });
  }
  const url = await addressOf(call);
  const token = options.flag("token") ? await makeToken(call, name ?? "connect") : undefined;
  const agent = options.text("agent") ?? "AGENT";
  const wanted: readonly ClientName[] = name === undefined ? clients : [name];
  const lines = wanted.map((client) => ({
    client,
    line: connectLine(client, { url, token, agent }),
    purpose: purposes[client],
  }));
  if (token === undefined)
    out.note(
      `it reads AOS_TOKEN; make one with: export AOS_TOKEN=$(aos token create --role operator --name ${name ?? "me"})`,
    );
  if (wanted.includes("codex") && agent === "AGENT") out.note("put an agent's name for AGENT");
  await out.data(name === undefined ? lines : lines[0], () => {
    if (name !== undefined) return lines[0]!.line;
    return lines
      .map(({ client, line, purpose }) => `# ${client}: ${purpose}\n${line}`)
      .join("\n\n");
  });
};

export default command;

async function addressOf({ client, endpoint }: CommandCall): Promise<string> {
  const url = endpoint.remote?.url ?? (await client.status()).url;
  if (url !== null) return url.replace(/\/$/, "");
  throw new SysError("ESTATE", "the daemon listens on its socket only", {
    hint: "start it without AOS_HTTP=off, and with http.enabled in config.yaml",
  });
}

async function makeToken({ client, options, out }: CommandCall, name: string): Promise<string> {
  const tenant = options.text("tenant");
  const made = await client.createAccessToken({
    role: "operator",
    name,
    ...(tenant === undefined ? {} : { tenant }),
  });
  out.note(`made a token for ${name}; take it back with: aos token revoke ${made.id}`);
  return made.token;
}
