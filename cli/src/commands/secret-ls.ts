import type { Json } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { ago, table } from "../table.ts";

const command: Command = async ({ client, out }) => {
  const secrets = await client.secrets();
  const nowMs = Date.now();
  await out.data(secrets, () =>
    table(
      ["NAME", "+TENANT", "AGE", "USED IN"],
      secrets.map(({ name, tenant, updatedAt, bindings }) => [
        name,
        tenant,
        ago(updatedAt, nowMs),
        bindings.map(placeOf).join(", "),
      ]),
      out,
    ),
  );
};

export default command;

function placeOf(binding: Json): string {
  const { kind, origin, header, tool, variable } = binding as Record<string, string>;
  return kind === "header" ? `${header} for ${origin}` : `${variable} of ${tool}`;
}
