import type { Command } from "../command.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, out }) => {
  const roles = await client.roles({ cwd: process.cwd() });
  await out.data(roles, () =>
    table(
      ["NAME", "SOURCE", "BY", "+PARAMETERS", "DESCRIPTION"],
      roles.map(({ name, source, by, parameters, description, problem }) => [
        name,
        source,
        by,
        parameters.join(", "),
        problem === null ? description : `not offered: ${problem}`,
      ]),
      out,
    ),
  );
};

export default command;
