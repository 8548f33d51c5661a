import type { Command } from "../command.ts";
import { wholeText } from "../memory-text.ts";
import { quarantinedPath } from "../quarantined-path.ts";

/** What was read is what is let in, whatever is written meanwhile. */
const command: Command = async ({ args: [given = ""], client, options, out }) => {
  const path = quarantinedPath(given);
  const tenant = options.text("tenant");
  const whose = tenant === undefined ? {} : { tenant };
  const { data } = await client.readFile({ path, ...whose });
  const { pid } = await client.writeFile({ path, data, ...whose });
  out.note(`${path} is let in, as trusted`);
  await out.data({ path, pid, data }, () => wholeText(data, out));
};

export default command;
