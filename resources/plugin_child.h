/* cluster_manager has the LB policies of cluster specifier plugins beside those of clusters. The
 * name of a plugin p's policy begins with "cluster_specifier_plugin:p". So no route may name a
 * cluster with this prefix. (The host allows such clusters, because its names of clusters have a
 * prefix too.) */
#ifndef GRPC_XDS_RESOURCES_PLUGIN_CHILD_H_
#define GRPC_XDS_RESOURCES_PLUGIN_CHILD_H_

#define GXDS_PLUGIN_CHILD_PREFIX "cluster_specifier_plugin:"

#endif
