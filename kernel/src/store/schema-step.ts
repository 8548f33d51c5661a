// Schema step: from one version of the tables to the next, in the words of either database.

type Dialect = "sqlite" | "postgres";

export interface SchemaStep {
  readonly version: number;
  readonly statements: (dialect: Dialect) => readonly string[];
}
