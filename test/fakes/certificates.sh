#!/bin/sh
# Makes the certificates of the tests again: sh test/fakes/certificates.sh > test/fakes/certificates.json
# All have one key. `openssl ca` is what can say from when on one is valid.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"
openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out key.pem
printf '[ca]\ndefault_ca=c\n[c]\ndatabase=index\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\nunique_subject=no\nrand_serial=yes\n[p]\ncommonName=supplied\n' > conf
HERE=IP:127.0.0.1,DNS:api.agents.test,DNS:app.agents.test,DNS:stranger.agents.test
# make FILE NAME ISSUER EXTENSION END; an issuer of the same name signs itself.
make() {
  : > index
  printf '%s\n' "$4" > extension
  openssl req -new -key key.pem -subj "/CN=$2" -out request
  issuer="-cert $3.pem"
  [ "$1" != "$3" ] || issuer=-selfsign
  openssl ca -batch -config conf -notext -keyfile key.pem $issuer -extfile extension \
    -startdate 20200101000000Z -enddate "$5" -in request -out "$1.pem" 2>> log || { cat log >&2; exit 1; }
}
ca=basicConstraints=critical,CA:TRUE
make authority 'Authority of the tests' authority $ca 20490101000000Z
make stranger 'Authority of somebody else' stranger $ca 20490101000000Z
make leaf leaf authority subjectAltName=$HERE 20490101000000Z
make expired leaf authority subjectAltName=$HERE 20210101000000Z
make elsewhere leaf authority subjectAltName=DNS:other.example 20490101000000Z
make strange leaf stranger subjectAltName=$HERE 20490101000000Z
make self self self subjectAltName=$HERE 20490101000000Z
node -e '
const all = process.argv.slice(1).map(name => [name, require("fs").readFileSync(`${name}.pem`, "utf8")]);
console.log(JSON.stringify(Object.fromEntries(all), null, 2));' key authority leaf expired elsewhere strange self
