# Signs in to the demo world and defines `api METHOD PATH [curl option…]`. Source it in bash or sh:
#   . examples/api.sh
# URL, DATA, USERNAME, PASSWORD and CLIENT replace the values of the demo world.
URL=${URL:-https://localhost:8443}
DATA=${DATA:-data}
TOKEN=$(curl -fsS --cacert "$DATA/tls/ca.pem" -u "${CLIENT:-demo:demo-client-secret}" "$URL/auth/token" \
  -H 'Content-Type: application/json' -d "{\"grant_type\":\"password\",\"scope\":\"everything\",\
\"username\":\"${USERNAME:-admin@atlas.example}\",\"password\":\"${PASSWORD:-patchbay demo passphrase}\"}" |
  sed 's/.*"access_token":"\([^"]*\)".*/\1/')
api() {
  api_method=$1 api_path=$2
  shift 2
  curl -fsS --cacert "$DATA/tls/ca.pem" -X "$api_method" -H "Authorization: Bearer $TOKEN" "$URL$api_path" "$@"
}
