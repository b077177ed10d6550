// Where drizzle-kit finds the tables and writes the migrations. `npx drizzle-kit generate --name what-changed`.
import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/db/schema/*.ts',
  out: './migrations',
})
