// Calls of all four kinds with Go's gRPC: a server, and a client that prints what it gets.
//
//	calls serve [CERTIFICATE KEY]  prints its address, and serves until its input ends
//	calls ask HOST PORT [CA]       makes every call; over TLS through the proxy of the environment
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/golang/protobuf/ptypes/wrappers"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const service = "demo.Words"

// size is more than 10 MB, and more than the limit of a client by default.
const size = 10_500_000

func text(value string) *wrappers.StringValue { return &wrappers.StringValue{Value: value} }

func upper(_ interface{}, ctx context.Context, decode func(interface{}) error, _ grpc.UnaryServerInterceptor) (interface{}, error) {
	request := new(wrappers.StringValue)
	if err := decode(request); err != nil {
		return nil, err
	}
	if request.Value == "fail" {
		failure, err := status.New(codes.FailedPrecondition, "not today").WithDetails(
			&errdetails.ErrorInfo{Reason: "CLOSED", Domain: "demo", Metadata: map[string]string{"day": "sunday"}})
		if err != nil {
			return nil, err
		}
		return nil, failure.Err()
	}
	_, hasDeadline := ctx.Deadline()
	_ = grpc.SetHeader(ctx, metadata.Pairs("x-first", "1", "x-first-bin", "\x00\xff"))
	_ = grpc.SetTrailer(ctx, metadata.Pairs("x-deadline", fmt.Sprint(hasDeadline)))
	return text(strings.ToUpper(request.Value)), nil
}

func repeat(_ interface{}, stream grpc.ServerStream) error {
	request := new(wrappers.StringValue)
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	for number := 0; number < 1000; number++ {
		if err := stream.SendMsg(text(fmt.Sprintf("%s %d", request.Value, number))); err != nil {
			return err
		}
	}
	return nil
}

func join(_ interface{}, stream grpc.ServerStream) error {
	var words []string
	for {
		request := new(wrappers.StringValue)
		if err := stream.RecvMsg(request); err == io.EOF {
			return stream.SendMsg(text(strings.Join(words, " ")))
		} else if err != nil {
			return err
		}
		words = append(words, request.Value)
	}
}

func talk(_ interface{}, stream grpc.ServerStream) error {
	for {
		request := new(wrappers.StringValue)
		if err := stream.RecvMsg(request); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := stream.SendMsg(text("you said " + request.Value)); err != nil {
			return err
		}
	}
}

var description = grpc.ServiceDesc{
	ServiceName: service,
	HandlerType: (*interface{})(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "Upper", Handler: upper}},
	Streams: []grpc.StreamDesc{
		{StreamName: "Repeat", Handler: repeat, ServerStreams: true},
		{StreamName: "Join", Handler: join, ClientStreams: true},
		{StreamName: "Talk", Handler: talk, ServerStreams: true, ClientStreams: true},
	},
}

func serve(files []string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	// Windows of a fixed size, for which the server need not measure: its PINGs for that are too many for grpc-swift.
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(2 * size), grpc.InitialWindowSize(1 << 20), grpc.InitialConnWindowSize(1 << 20),
	}
	if len(files) == 2 {
		identity, err := credentials.NewServerTLSFromFile(files[0], files[1])
		if err != nil {
			return err
		}
		options = append(options, grpc.Creds(identity))
	}
	server := grpc.NewServer(options...)
	server.RegisterService(&description, struct{}{})
	fmt.Println(listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		server.Stop()
	}()
	return server.Serve(listener)
}

// show prints the outcome of a call.
func show(name string, reply *wrappers.StringValue, err error) {
	if err == nil {
		fmt.Printf("%s: %d bytes: %.40q\n", name, len(reply.Value), reply.Value)
		return
	}
	failure := status.Convert(err)
	fmt.Printf("%s: %v %q", name, failure.Code(), failure.Message())
	for _, detail := range failure.Details() {
		info := detail.(*errdetails.ErrorInfo)
		fmt.Printf(" %s %s %v", info.Reason, info.Domain, info.Metadata)
	}
	fmt.Println()
}

func ask(address string, authorities []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	options := []grpc.DialOption{grpc.WithBlock(), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(2 * size))}
	if len(authorities) == 1 {
		trust, err := credentials.NewClientTLSFromFile(authorities[0], "")
		if err != nil {
			return err
		}
		options = append(options, grpc.WithTransportCredentials(trust))
	} else {
		options = append(options, grpc.WithInsecure(), grpc.WithNoProxy())
	}
	connection, err := grpc.DialContext(ctx, address, options...)
	if err != nil {
		return err
	}
	defer connection.Close()
	method := "/" + service + "/Upper"
	for _, word := range []string{"ada", "grace", "fail", strings.Repeat("x", size)} {
		reply := new(wrappers.StringValue)
		var first, last metadata.MD
		err := connection.Invoke(ctx, method, text(word), reply, grpc.Header(&first), grpc.Trailer(&last))
		show("unary", reply, err)
		fmt.Printf("%q %q %q\n", first.Get("x-first"), first.Get("x-first-bin"), last.Get("x-deadline"))
	}
	reply := new(wrappers.StringValue)
	err = connection.Invoke(ctx, method, text("packed"), reply, grpc.UseCompressor(gzip.Name))
	show("packed", reply, err)

	stream, err := connection.NewStream(ctx, &description.Streams[0], "/"+service+"/Repeat")
	if err != nil {
		return err
	}
	_ = stream.SendMsg(text("again"))
	_ = stream.CloseSend()
	count := 0
	for ; stream.RecvMsg(reply) == nil; count++ {
	}
	fmt.Println("repeat:", count, reply.Value)

	stream, err = connection.NewStream(ctx, &description.Streams[1], "/"+service+"/Join")
	if err != nil {
		return err
	}
	for number := 0; number < 1000; number++ {
		_ = stream.SendMsg(text(fmt.Sprint(number)))
	}
	_ = stream.CloseSend()
	show("join", reply, stream.RecvMsg(reply))

	stream, err = connection.NewStream(ctx, &description.Streams[2], "/"+service+"/Talk")
	if err != nil {
		return err
	}
	for number := 0; number < 1000; number++ {
		_ = stream.SendMsg(text(fmt.Sprint(number)))
		if err := stream.RecvMsg(reply); err != nil || reply.Value != fmt.Sprintf("you said %d", number) {
			return fmt.Errorf("message %d: %q %v", number, reply.Value, err)
		}
	}
	_ = stream.CloseSend()
	fmt.Println("talk:", stream.RecvMsg(reply))

	cancelled, leave := context.WithCancel(ctx)
	stream, err = connection.NewStream(cancelled, &description.Streams[2], "/"+service+"/Talk")
	if err != nil {
		return err
	}
	_ = stream.SendMsg(text("0"))
	_ = stream.RecvMsg(reply)
	leave()
	show("cancelled", nil, stream.RecvMsg(reply))
	return nil
}

func main() {
	var err error
	if len(os.Args) >= 4 && os.Args[1] == "ask" {
		err = ask(net.JoinHostPort(os.Args[2], os.Args[3]), os.Args[4:])
	} else {
		err = serve(os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
