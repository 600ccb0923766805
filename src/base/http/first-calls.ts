/** Returns commands for a shell that record a person and read them back. The API key is in `KEY`. */
export function firstCalls(origin: string): string {
  return `curl ${origin}/users/track \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"attributes": [{"external_id": "ada", "first_name": "Ada", "plan": "pro"}]}'

curl ${origin}/users/export/ids \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"external_ids": ["ada"], "fields_to_export": ["external_id", "first_name", "custom_attributes"]}'`
}
