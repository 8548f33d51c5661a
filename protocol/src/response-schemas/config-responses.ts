// The answers of protocol/src/config-report.ts.

import { z } from "zod";
import { settingSources, type ConfigReport } from "../config-report.ts";
import { jsonValue, named } from "./fields.ts";

const setting = named(
  "SettingReport",
  z.strictObject({
    name: z.string().describe("As in config.yaml, with dots."),
    value: jsonValue,
    source: z.enum(settingSources),
    where: z.string().nullable().describe("File and line, the variable, or the flag."),
    hot: z.boolean().describe("Whether a change of the file counts without a restart."),
    next: jsonValue.describe("What it will be after the next start.").exactOptional(),
  }),
);

export const configReport = named(
  "ConfigReport",
  z.strictObject({
    home: z.string(),
    file: z.string(),
    settings: z.array(setting),
    problem: z.string().describe("What is wrong with the file as it is now.").exactOptional(),
  }),
) satisfies z.ZodType<ConfigReport>;
