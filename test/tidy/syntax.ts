// Questions to a syntax tree that several rules of the house ask.
import type { BindingPattern, Expression, MemberExpression, ObjectPattern, PropertyKey } from 'oxc-parser'
import { Visitor, type Program, type TSTypeAnnotation } from 'oxc-parser'

type KeyNode = PropertyKey | Expression

/** The name a key is written with: `a.name`, `a['name']`, `{ name }`, `{ 'name': … }`; undefined when it is computed. */
function keyName(key: KeyNode, computed: boolean): string | undefined {
  if (key.type === 'Literal') return typeof key.value === 'string' ? key.value : undefined
  return !computed && key.type === 'Identifier' ? key.name : undefined
}

/** The name of the member that is read or written, however it is spelt. */
export function memberName(node: MemberExpression): string | undefined {
  return node.property.type === 'PrivateIdentifier' ? undefined : keyName(node.property, node.computed)
}

/** Whether a pattern takes `name` out of what it is given. */
function takes(pattern: ObjectPattern, name: string): boolean {
  return pattern.properties.some((part) => part.type === 'Property' && keyName(part.key, part.computed) === name)
}

const isProcessType = (annotation: TSTypeAnnotation | null | undefined, text: string): boolean =>
  annotation !== null &&
  annotation !== undefined &&
  /\bNodeJS\.Process\b|\btypeof process\b/.test(text.slice(annotation.start, annotation.end))

/** Offsets at which a file reads the environment of its process: as a member, by destructuring, or by importing it. */
export function environmentReads(program: Program, text: string): number[] {
  const found: number[] = []
  const processes = new Set(['process'])
  const bind = (pattern: BindingPattern): void => {
    if (!('typeAnnotation' in pattern) || !isProcessType(pattern.typeAnnotation, text)) return
    if (pattern.type === 'Identifier') processes.add(pattern.name)
    if (pattern.type === 'ObjectPattern' && takes(pattern, 'env')) found.push(pattern.start)
  }
  const bindAll = ({ params }: { params: readonly object[] }): void => {
    for (const param of params) if (isBinding(param)) bind(param)
  }
  new Visitor({
    FunctionDeclaration: bindAll,
    FunctionExpression: bindAll,
    ArrowFunctionExpression: bindAll,
    VariableDeclarator: ({ id }) => bind(id),
    ImportDeclaration(node) {
      if (!/^(node:)?process$/.test(node.source.value)) return
      for (const one of node.specifiers) {
        if (one.type !== 'ImportSpecifier') processes.add(one.local.name)
        else if (keyName(one.imported, false) === 'env') found.push(one.start)
      }
    },
  }).visit(program)
  const isProcess = (node: Expression): boolean =>
    node.type === 'Identifier'
      ? processes.has(node.name)
      : node.type === 'MemberExpression' && memberName(node) === 'process'
  new Visitor({
    MemberExpression(node) {
      if (memberName(node) === 'env' && isProcess(node.object)) found.push(node.start)
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'ObjectPattern' && init !== null && isProcess(init) && takes(id, 'env')) found.push(id.start)
    },
  }).visit(program)
  return found
}

const isBinding = (node: object): node is BindingPattern =>
  'type' in node && (node.type === 'Identifier' || node.type === 'ObjectPattern')

/** Offsets at which a file writes a member called `name` of something other than `this`. */
export function memberWrites(program: Program, name: string): number[] {
  const found: number[] = []
  new Visitor({
    AssignmentExpression({ left }) {
      if (left.type === 'MemberExpression' && left.object.type !== 'ThisExpression' && memberName(left) === name)
        found.push(left.start)
    },
  }).visit(program)
  return found
}

/** Offsets of the tests of a file (`test(…)`, `t.test(…)`) whose options do not name a time limit. */
export function testsWithoutLimit(program: Program): number[] {
  const found: number[] = []
  const limited = new Set<string>()
  const isLimited = (node: { type: string }): boolean => {
    if (isIdentifier(node)) return limited.has(node.name)
    return (
      isObject(node) &&
      node.properties.some((part) =>
        part.type === 'Property' ? keyName(part.key, part.computed) === 'timeout' : isLimited(part.argument),
      )
    )
  }
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init !== null && isLimited(init)) limited.add(id.name)
    },
    CallExpression({ callee, arguments: given, start }) {
      const isTest =
        (callee.type === 'Identifier' && callee.name === 'test') ||
        (callee.type === 'MemberExpression' &&
          callee.object.type === 'Identifier' &&
          callee.object.name === 't' &&
          memberName(callee) === 'test')
      if (isTest && !given.some(isLimited)) found.push(start)
    },
  }).visit(program)
  return found
}

const isIdentifier = (node: { type: string }): node is Extract<Expression, { type: 'Identifier' }> =>
  node.type === 'Identifier'
const isObject = (node: { type: string }): node is Extract<Expression, { type: 'ObjectExpression' }> =>
  node.type === 'ObjectExpression'
