package main

import (
	"fmt"
	"syscall"
)

// reservePort returns a loopback port for a server that restarts. A socket that is bound to it and does not listen
// keeps it until the driver ends: the kernel gives a bound port neither to outgoing connections nor to sockets that
// ask for any port. The server must set SO_REUSEADDR, as all of these do.
func reservePort() (int, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	port, err := bindToAnyPort(fd)
	if err != nil {
		syscall.Close(fd)
	}
	return port, err
}

func bindToAnyPort(fd int) (int, error) {
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, err
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	return name.(*syscall.SockaddrInet4).Port, nil
}

func reserveAddress() (string, error) {
	port, err := reservePort()
	return fmt.Sprintf("127.0.0.1:%d", port), err
}
