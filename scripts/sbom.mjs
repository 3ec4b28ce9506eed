// `npm run sbom`: writes dist/sbom.cdx.json (CycloneDX 1.5) and dist/licences.md, for exactly what `npm run pack` ships. npm's own
// sbom command leaves out packages that only a peer asks for.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeLicences, listShippedPackages } from './licences.mjs'
import { ROOT } from './run.mjs'

const target = join(ROOT, 'dist')
mkdirSync(target, { recursive: true })
writeFileSync(join(target, 'sbom.cdx.json'), `${JSON.stringify(describeComponents(), null, 2)}\n`)
writeFileSync(join(target, 'licences.md'), describeLicences())
console.log(`wrote ${join(target, 'sbom.cdx.json')} and licences.md`)

function describeComponents() {
  const { name, version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { type: 'application', ...identify(name, version), licenses: licenceOf(license) },
    },
    components: listShippedPackages().map(({ name, version, licence, integrity }) => ({
      type: 'library',
      ...identify(name, version),
      licenses: licenceOf(licence),
      hashes: [hashOf(integrity)],
    })),
  }
}

function identify(name, version) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { 'bom-ref': purl, name, version, purl }
}

function licenceOf(licence) {
  return [/^[\w.-]+$/.test(licence) ? { license: { id: licence } } : { expression: licence }]
}

/** The integrity of the lock file is base64; CycloneDX wants hexadecimal. */
function hashOf(integrity) {
  return { alg: 'SHA-512', content: Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex') }
}
