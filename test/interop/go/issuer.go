package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"time"
)

// The audience of tokens for Istio's control plane.
const istioAudience = "istio-ca"

// An issuer signs tokens of service accounts, like Kubernetes, and serves its public key over HTTP.
type issuer struct {
	key    *rsa.PrivateKey
	server *http.Server
	url    string
}

func startIssuer() (*issuer, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	i := &issuer{key: key, url: "http://" + listener.Addr().String()}
	i.server = &http.Server{Handler: http.HandlerFunc(i.serveKeys)}
	go i.server.Serve(listener)
	return i, nil
}

func (i *issuer) stop() { i.server.Close() }

func (i *issuer) serveKeys(w http.ResponseWriter, _ *http.Request) {
	json.NewEncoder(w).Encode(object{"keys": []object{{"kty": "RSA", "alg": "RS256", "use": "sig",
		"n": base64.RawURLEncoding.EncodeToString(i.key.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(i.key.E)).Bytes())}}})
}

// rule returns a JWT rule of Istio, which names the issuer whose tokens it accepts.
func (i *issuer) rule() string {
	return fmt.Sprintf(`{"issuer":"%[1]s","jwks_uri":"%[1]s/keys","audiences":["%[2]s"]}`, i.url, istioAudience)
}

func (i *issuer) token(namespace, account string) (string, error) {
	var parts string
	for _, part := range []object{
		{"alg": "RS256", "typ": "JWT"},
		{"iss": i.url, "sub": "system:serviceaccount:" + namespace + ":" + account, "aud": []string{istioAudience},
			"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()},
	} {
		text, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		if parts != "" {
			parts += "."
		}
		parts += base64.RawURLEncoding.EncodeToString(text)
	}
	hash := sha256.Sum256([]byte(parts))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, hash[:])
	if err != nil {
		return "", err
	}
	return parts + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}
