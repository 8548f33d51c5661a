// `aos connect`: prints the line that connects a client, with a new token on request.

import { SysError } from "@aos/protocol/words";
import type { CommandCall, Command } from "../command.ts";
import { clients, type ClientName, connectLine, isClientName, purposes } from "../connect-lines.ts";

const command: Command = async (call) => {
  const { args, options, out } = call;
  const [name] = args;
  if (name !== undefined && !isClientName(name)) {
    throw new SysError("EINVAL", `no connection instructions for ${name}`, {
      hint: `the clients are ${clients.join(", ")}; openai is for any OpenAI-compatible client`,
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
      `it reads AOS_TOKEN; create one with: export AOS_TOKEN=$(aos token create --role operator --name ${name ?? "me"})`,
    );
  if (wanted.includes("codex") && agent === "AGENT")
    out.note("replace AGENT by the name of an agent");
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
  throw new SysError("ESTATE", "the daemon does not listen on HTTP", {
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
  out.note(`created a token for ${name}; revoke it with: aos token revoke ${made.id}`);
  return made.token;
}
