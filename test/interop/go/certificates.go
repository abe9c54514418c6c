package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// An authority signs certificates for the identities of a mesh.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	serial      int64
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &authority{key: key, serial: 1}
	template := certificateOf(pkix.Name{CommonName: "root"}, a.serial)
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	a.certificate, err = x509.ParseCertificate(der)
	return a, err
}

func certificateOf(name pkix.Name, serial int64) *x509.Certificate {
	return &x509.Certificate{Subject: name, SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour)}
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// sign returns a certificate for a service account, and its key, as PEM.
func (a *authority) sign(account string) (certificate, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	a.serial++
	template := certificateOf(pkix.Name{}, a.serial)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.URIs = []*url.URL{{Scheme: "spiffe", Host: "cluster.local", Path: "/ns/" + istioNamespace + "/sa/" + account}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, private.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	return pemOf("CERTIFICATE", der), pemOf("PRIVATE KEY", pkcs8), err
}

// write writes the files that a client of an account needs into a folder, with the names that Istio's agent uses.
func (a *authority) write(dir, account string) error {
	certificate, key, err := a.sign(account)
	if err != nil {
		return err
	}
	for name, bytes := range map[string][]byte{"cert-chain.pem": certificate, "key.pem": key,
		"root-cert.pem": pemOf("CERTIFICATE", a.certificate.Raw)} {
		if err := os.WriteFile(filepath.Join(dir, name), bytes, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// server returns the TLS configuration of a backend of an account. It requires client certificates of the same mesh.
func (a *authority) server(account string) (*tls.Config, error) {
	certificate, key, err := a.sign(account)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	roots := x509.NewCertPool()
	roots.AddCert(a.certificate)
	return &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: roots,
		ClientAuth: tls.RequireAndVerifyClientCert}, err
}
