// The name of a parameter we add ourselves: no scope was asked for, what is offered stands in for it.
export const DEFAULTED = 'crow_scope_defaulted'
