import type { Command } from "../command.ts";

const command: Command = async ({ args: [path], client, options, out }) => {
  const named = ["agent", "tenant"].flatMap((name) => {
    const value = options.text(name);
    return value === undefined ? [] : [[name, value]];
  });
  const given = {
    ...(path === undefined ? {} : { path }),
    ...(Object.fromEntries(named) as { agent?: string; tenant?: string }),
  };
  for (let after: string | null = null; ;) {
    const page = await client.exportMemory({ ...given, ...(after === null ? {} : { after }) });
    for (const row of page.rows) await out.line(row);
    if (page.next === null) return;
    after = page.next;
  }
};

export default command;
