#!/bin/sh
# Makes the stores of this folder with the JDK's keytool and with openssl. They hold keys that nothing else uses.
set -eu
cd "$(dirname "$0")"
rm -f ./*.jks ./*.p12 ./*.pem ./*.jceks
key="-alias client -dname CN=client -keyalg EC -groupname secp256r1 -validity 36500 -noprompt"
keytool -genkeypair $key -storetype JKS -keystore client.jks -storepass store-secret -keypass key-secret
keytool -genkeypair $key -storetype JCEKS -keystore client.jceks -storepass store-secret -keypass store-secret
keytool -importkeystore -noprompt -srckeystore client.jks -srcstorepass store-secret -srckeypass key-secret -srcalias client \
    -destkeystore client.p12 -deststoretype PKCS12 -deststorepass store-secret -destkeypass store-secret
keytool -J-Dkeystore.pkcs12.legacy -importkeystore -noprompt -srckeystore client.p12 -srcstorepass store-secret \
    -destkeystore client-legacy.p12 -deststoretype PKCS12 -deststorepass store-secret
keytool -exportcert -rfc -alias client -keystore client.jks -storepass store-secret > trusted.pem
keytool -importcert -noprompt -alias ca -file trusted.pem -storetype JKS -keystore trusted.jks -storepass store-secret
keytool -importcert -noprompt -alias ca -file trusted.pem -storetype PKCS12 -keystore trusted.p12 -storepass store-secret
openssl pkcs12 -export -nokeys -in trusted.pem -out unmarked.p12 -passout pass:store-secret
openssl pkcs12 -in client.p12 -passin pass:store-secret -nodes -nocerts 2>/dev/null | openssl pkcs8 -topk8 -nocrypt -out key.pem
openssl pkcs8 -topk8 -v2 aes256 -in key.pem -passout pass:key-secret -out key-encrypted.pem
openssl pkcs8 -topk8 -v1 PBE-SHA1-3DES -in key.pem -passout pass:key-secret -out key-weak.pem
openssl ec -in key.pem -aes128 -passout pass:key-secret -out key-old.pem 2>/dev/null
cat key-encrypted.pem trusted.pem > client.pem
