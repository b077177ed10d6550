// What everything is compared with: one Fastify route that parses the same JSON and answers the same shape, and nothing else.
import Fastify from 'fastify'

interface Body {
  readonly id: number
  readonly params: { readonly arguments: { readonly a: number; readonly b: number } }
}

const app = Fastify({ logger: false })
const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'bare', version: '1.0.0' } }

app.post<{ Body: Body }>('/bench/mcp', async ({ body }) => {
  const { a, b } = body.params.arguments
  const content = [{ type: 'text', text: String(a + b) }]
  return { jsonrpc: '2.0', id: body.id, result: { content, resultType: 'complete', _meta: meta } }
})

await app.listen({ host: '127.0.0.1', port: 0 })
const address = app.server.address()
process.stdout.write(`listening http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`)
process.on('SIGTERM', () => void app.close())
