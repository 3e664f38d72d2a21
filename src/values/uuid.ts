export const uuidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
const shape = new RegExp(uuidPattern);
export const isUuid = (text: string): boolean => shape.test(text);
