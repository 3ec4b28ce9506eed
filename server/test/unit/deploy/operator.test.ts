// deploy/README.md as an operator follows it: the files that it tells to write are taken from it and built.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../support/programs.ts'
import { DEPLOY, kustomize, listDeployFiles, readText, readYaml, type Tree } from './deploy-files.ts'
import { findFaults } from './kubernetes-schemas.ts'

const BASE = 'deploy/kustomize/base'
const folder = mkdtempSync(join(tmpdir(), 'sauti-operator-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(isMissing('kubectl'))('the overlay for Kubernetes', () => {
  /** Laid out as the README says: a folder beside the repository, with the files whose names are their first lines. */
  function build(): Tree[] {
    const overlay = join(folder, 'overlay')
    mkdirSync(overlay, { recursive: true })
    cpSync(join(DEPLOY, '..', BASE), join(folder, 'sauti', BASE), { recursive: true })
    for (const [, name, content] of readText('README.md').matchAll(/```yaml\n# (\S+)\n([\s\S]+?)```/g))
      writeFileSync(join(overlay, name!), content!)
    return kustomize(overlay).objects
  }

  it('is taken by the API of Kubernetes, all of it in its namespace', () => {
    const objects = build()
    expect(objects.map(({ kind }) => kind)).toContain('Ingress')
    expect(objects.flatMap(findFaults)).toEqual([])
    expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['sauti']))
  })

  it('sets the image and the addresses, and leads to the port of the service', () => {
    const objects = new Map(build().map(object => [object.kind, object]))
    const [container] = objects.get('Deployment').spec.template.spec.containers
    const [{ host, http }] = objects.get('Ingress').spec.rules
    const { name, port } = http.paths[0].backend.service
    const service = objects.get('Service')
    expect(container.image).toBe('registry.example.org/sauti:0.2.0')
    expect(objects.get('ConfigMap').data).toMatchObject({
      SAUTI_PUBLIC_URL: `https://${host}`,
      SAUTI_METRICS_PORT: '9464',
    })
    expect(name).toBe(service.metadata.name)
    expect(service.spec.ports.map((one: Tree) => one.name)).toContain(port.name)
  })
})

describe('the values of the chart', () => {
  const validate = new Ajv().compile(JSON.parse(readText('helm/sauti/values.schema.json')))
  const values = () => readYaml('helm/sauti/values.yaml')

  it('are as their schema says, which knows every value that a template uses', () => {
    validate(values())
    expect(validate.errors).toBeNull()
    const templates = listDeployFiles().filter(path => path.startsWith('helm/sauti/templates/'))
    const used = templates.flatMap(path => [...readText(path).matchAll(/\.Values\.(\w+)/g)])
    const known = JSON.parse(readText('helm/sauti/values.schema.json')).required
    expect([...new Set(used.map(([, name]) => name))].toSorted()).toEqual(known.toSorted())
  })

  it.each<[string, (tree: Tree) => void]>([
    [
      'a setting that is a number, as --set makes it',
      ({ settings }) => (settings.SAUTI_RECOGNISER_WORKERS = 7),
    ],
    ['a misspelt value', tree => (tree.autoscaling.maxReplica = 5)],
    ['a setting outside of the settings', tree => (tree.SAUTI_PUBLIC_URL = 'https://speech.example.org')],
  ])('are refused with %s', (_, edit) => {
    const tree = values()
    edit(tree)
    expect(validate(tree)).toBe(false)
  })
})
