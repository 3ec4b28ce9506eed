// What would break `npm ci` on another machine, or tie the lock file to one registry.

/** One sentence for each fault of a parsed package-lock.json; an empty list when it is whole. */
export function findLockFaults(lock) {
  return Object.entries(lock.packages).flatMap(([path, entry]) => [
    ...findMissingParts(lock, path, entry),
    ...(isFromRegistry(path, entry) && !entry.integrity ? [`${path} has no integrity`] : []),
    ...(/^\w+:\/\//.test(entry.resolved ?? '') ? [`${path} names an address`] : []),
  ])
}

function isFromRegistry(path, entry) {
  return path.includes('node_modules/') && !entry.link && !entry.inBundle
}

/** A native package lists one optional part per platform. npm ci refuses a lock that lacks one, even for another platform. */
function findMissingParts(lock, path, entry) {
  return Object.keys(entry.optionalDependencies ?? {})
    .filter(name => !isLocked(lock, path, name))
    .map(name => `${path} ${entry.version} needs ${name}, which the lock does not hold`)
}

/** Looks where Node would: beside the package, then in each folder above it. */
function isLocked(lock, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/'), 0))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (place in lock.packages) return true
    if (folder === '') return false
  }
}
