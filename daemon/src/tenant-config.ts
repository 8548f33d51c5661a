// `tenants:` of config.yaml: which tenants there are, and the ceiling of each.
//
//   tenants:
//     acme: {}                                  # there is one, with the ceiling that ships
//     research:
//       allow: ["model:anthropic/*:infer"]      # that ceiling, and this
//     lab: { ceiling: none }                    # no ceiling at all

import { type CeilingSetting, isTenantName, TENANT_NAME_RULE } from "@aos/protocol";
import { readCeiling } from "@aos/kernel";
import { z } from "zod";
import { omitUndefined } from "./omit-undefined.ts";

const capability = z.string().superRefine((text, context) => {
  try {
    readCeiling([text]);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

const tenantName = z.string().refine(isTenantName, `a tenant is named with ${TENANT_NAME_RULE}`);

export const tenantSection = {
  tenants: z
    .record(
      tenantName,
      z.strictObject({
        /** In place of the one that ships. */
        ceiling: z.union([z.enum(["default", "none"]), z.array(capability)]).optional(),
        /** Beside it. */
        allow: z.array(capability).optional(),
      }),
    )
    .default({}),
};

type Section = z.output<(typeof tenantSection)["tenants"]>;

export const tenantsOf = ({ tenants }: { readonly tenants: Section }) =>
  Object.fromEntries(
    Object.entries(tenants).map(([name, setting]): [string, CeilingSetting] => [
      name,
      omitUndefined(setting),
    ]),
  );
