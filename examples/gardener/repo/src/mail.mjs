// TODO: an address without @ is accepted.
export const isAddress = (text) => text.length > 3;
