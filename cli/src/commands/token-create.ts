import { isRole, roles, SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readDurationOption } from "../read-number.ts";

const command: Command = async ({ client, options, out }) => {
  const role = options.text("role");
  if (role === undefined || !isRole(role)) {
    throw new SysError("EINVAL", role === undefined ? "no role given" : `unknown role ${role}`, {
      hint: `--role is one of ${roles.join(", ")}`,
    });
  }
  const tenant = options.text("tenant");
  const name = options.text("name");
  const expiresInMs = readDurationOption(options.text("expires"), "--expires");
  const made = await client.createAccessToken({
    role,
    ...(tenant === undefined ? {} : { tenant }),
    ...(name === undefined ? {} : { name }),
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
  });
  out.note(`it is shown only once; revoke it with: aos token revoke ${made.id}`);
  await out.data(made, () => made.token);
};

export default command;
