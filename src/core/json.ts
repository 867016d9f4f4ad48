/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A JSON object; a key may be present with `undefined` only on its way to the serialiser, which drops it. */
export type JsonObject = { readonly [key: string]: Json | undefined };
