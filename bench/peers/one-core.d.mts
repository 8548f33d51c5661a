export function holdToOneCore(): boolean;
