import type { Command } from "../command.ts";
import { ago, table } from "../table.ts";

const command: Command = async ({ client, out }) => {
  const tokens = await client.accessTokens();
  const nowMs = Date.now();
  await out.data(tokens, () =>
    table(
      ["ID", "+KIND", "NAME", "ROLE", "TENANT", "AGE", "EXPIRES"],
      tokens.map(({ id, kind, name, role, tenant, createdAt, expiresAt }) => [
        id,
        kind,
        name,
        role,
        tenant ?? "all",
        ago(createdAt, nowMs),
        expiresAt ?? "never",
      ]),
      out,
    ),
  );
};

export default command;
