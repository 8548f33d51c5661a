import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, options, out }) => {
  const tenant = options.text("tenant");
  const topics = await client.topics(tenant === undefined ? {} : { tenant });
  await out.data(topics, () =>
    table(
      ["TOPIC", "SUBSCRIBERS", "DURABLE", "WAITING", "SCHEMA", "+TENANT"],
      topics.map(({ topic, subscribers, durables, waiting, schema, tenant: of }) => [
        printable(topic),
        String(subscribers),
        String(durables),
        String(waiting),
        schema === null ? "" : "yes",
        of,
      ]),
      out,
    ),
  );
};

export default command;
